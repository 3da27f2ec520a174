"""Memory: a fold over decisions and outcomes into belief, activation and trust. Pure; order never matters."""
