"""The commands of the limits: asks and the inbox, investigations, specialists, the audit trail."""
