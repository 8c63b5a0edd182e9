const unused = 1
export function total (lines) {
  if (lines == null) debugger
  return undefinedName
}
