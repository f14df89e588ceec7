"""Versions, commit and machine behind a result. No result depends on them, so that their code reruns no job."""
