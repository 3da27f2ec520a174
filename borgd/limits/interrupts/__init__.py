"""May a person be interrupted? Scopes, thresholds, exclusions, stakes, the account and the inbox."""
