"""What Refloat owns: drafts of recoveries now; jobs, receipts and leases build on the same store."""
