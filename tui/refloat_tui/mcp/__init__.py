"""`refloat mcp`: the record's verbs and the reading verbs as tools of the Model Context Protocol, over stdio."""
