"""What a run would do, before it does: jobs, reasons, time, memory and disk."""
