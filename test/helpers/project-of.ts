import { ownerOf } from '../../src/cluster/rendezvous.ts'

/** A project that this one of the nodes `one` and `two` keeps. */
export function projectOf(owner: string): string {
  for (let at = 0; ; at++) if (ownerOf(['one', 'two'], `shop-${at}`) === owner) return `shop-${at}`
}
