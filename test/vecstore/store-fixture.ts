import { readFileSync, writeFileSync } from 'node:fs'

export const FILES = {
  'src/a.py': 'def parse_user(): pass\n',
  'src/b.py': 'class SocketServer: pass\n',
  'empty/c.py': 'x = 1\n',
}

export function flipByte(path: string): void {
  const bytes = readFileSync(path)
  bytes[Math.floor(bytes.length / 2)] = (bytes[Math.floor(bytes.length / 2)] ?? 0) ^ 0xff
  writeFileSync(path, bytes)
}
