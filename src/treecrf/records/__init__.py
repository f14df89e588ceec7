"""What computed a result: versions, commit, machine and its speed. No result depends on it, so that its code reruns no job."""
