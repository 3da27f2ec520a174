"""The estimators of off-policy evaluation, their intervals and propensities."""
