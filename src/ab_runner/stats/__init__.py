"""Pure statistics; each function names the source of its formula."""
