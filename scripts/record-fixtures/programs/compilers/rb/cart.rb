def total(lines)
  unused = 1
  lines.sum()
  if lines
end
