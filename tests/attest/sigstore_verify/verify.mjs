// Verify a Sigstore bundle under one caller-supplied key:
//   node verify.mjs BUNDLE.json PUBLIC_KEY.pem
// Exit 0: accepted. Exit 1: refused, with the reason. Exit 2: this script could not decide.

import { createPublicKey } from "node:crypto";
import { readFileSync } from "node:fs";

import { bundleFromJSON, ValidationError } from "@sigstore/bundle";
import { toSignedEntity, toTrustMaterial, VerificationError, Verifier } from "@sigstore/verify";

const [bundlePath, keyPath] = process.argv.slice(2);
const noRoots = { certificateAuthorities: [], timestampAuthorities: [], tlogs: [], ctlogs: [] };
const noLogs = { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 };

try {
  const publicKey = createPublicKey(readFileSync(keyPath));
  const trust = toTrustMaterial(noRoots, () => ({ publicKey, validFor: () => true }));
  const bundle = bundleFromJSON(JSON.parse(readFileSync(bundlePath, "utf8")));
  new Verifier(trust, noLogs).verify(toSignedEntity(bundle));
  console.log("accepted");
} catch (error) {
  const refused = error instanceof VerificationError || error instanceof ValidationError;
  console.log(`${refused ? "refused" : "undecided"}: ${error}`);
  process.exitCode = refused ? 1 : 2;
}
