"""What is remembered: tables, the transaction, the append, migrations."""
