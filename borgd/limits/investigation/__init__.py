"""May an investigation go on? Budgets, the ledger of what was spent, what a tool call counts as."""
