"""Reading command lines: what would this change? Nothing is ever run."""
