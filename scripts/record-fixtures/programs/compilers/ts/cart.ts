export function total (lines: number[]): string {
  return lines.reduce((sum, line) => sum + line, 0)
}

const price: number = total([1, 2])
