"""``borg lesson …``: one module per subcommand, imported only when it runs."""
