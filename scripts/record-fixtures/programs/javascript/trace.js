function outer (n) {
  if (n > 0) return outer(n - 1)
  console.trace('here', n)
}

outer(2)
