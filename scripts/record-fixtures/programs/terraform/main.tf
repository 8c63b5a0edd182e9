locals {
  shops = ["ann", "bob"]
  total = upper(local.shops)
}

output "till" {
  value = local.tills
}
