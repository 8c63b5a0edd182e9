import { fileURLToPath } from 'node:url'

/** The path that a `file:` URL of this machine names; any other address as it is. */
export function pathOf(address: string): string {
  if (!/^file:\/\/\//i.test(address) || !URL.canParse(address)) return address
  try {
    return fileURLToPath(address)
  } catch {
    return address // an escaped slash, which no path can hold
  }
}
