import { test } from 'tap'
import { spans } from '../spans.ts'

test('types, overloads and generics of TypeScript', async t => {
  t.same(
    spans(
      'typescript',
      `export interface A<T extends { x: 1 }> extends B<T> {
  f (x: number): string
}
export type C =
  | { a: 1 }
  | D
export const enum E { one }
declare namespace F.G {
  function h (): void
}
export abstract class I<T = () => void> implements J {
  private readonly k: Map<string, () => void> = new Map()
  f (x: number): string
  f (x: unknown): { y: string } | null {
    return null
  }
  protected get l (): Promise<{ a: 1 }> { return this }
}
export function m<T extends object> (x: T): x is T & { y: 1 } {
  return type < 3
}
const n: (x: number) => void = <T, >(x: T): void => {
}
`,
    ),
    [
      'interface A 1-3',
      'type C 4-6',
      'enum E 7-7',
      'module F.G 8-10',
      'class I 11-18',
      'function I/f 14-16',
      'function I/l 17-17',
      'function m 19-21',
      'function n 22-23',
    ],
  )
})
