"""Numbers in prose: read them, bind them to data, and judge what the document says."""
