"""``borg doctor``: a module per kind of thing that is looked at. Each check looks at one thing and says what to do."""
