import { isTestFile } from '../../../core/test-files.ts'
import type { RunFault } from '../../../resolver/diagnose-run.ts'

/** An exception, and the innermost place in the project where it passed. */
export type FaultPlace = {
  type: string | null
  path: string
  function: string | null
  line: number | null
}

/** `shop.errors.PriceError` and `Cart::sum` by their last part: runtimes differ in what they print before it. */
const lastPart = (name: string): string => name.split(/[.:#\\/$]+/).findLast(part => part !== '') ?? name

const isSameName = (a: string | null, b: string | null): boolean =>
  a !== null && b !== null && lastPart(a) === lastPart(b)

/** The innermost place outside of tests. */
const failingPlace = ({ places }: RunFault): RunFault['places'][number] | undefined =>
  places.findLast(({ path }) => !isTestFile(path))

/** Whether one of the exceptions is of the same type, raised in the same function or at the same line. */
export function hasSameFault(faults: readonly RunFault[], wanted: FaultPlace): boolean {
  return faults.some(fault => {
    const place = failingPlace(fault)
    if (place === undefined || place.path !== wanted.path || !isSameName(fault.type, wanted.type)) return false
    return isSameName(place.function, wanted.function) || (place.line !== null && place.line === wanted.line)
  })
}

/** A fault in words, for a model and for people. */
export function describeFault({ type, path, function: of, line }: FaultPlace): string {
  const where = of === null ? '' : ` in ${of}`
  const at = line === null ? path : `${path}:${line}`
  return `${type ?? 'the error'}${where} (${at})`
}

/** What a run printed of exceptions in the project, in words. */
export function describeFaults(faults: readonly RunFault[]): string {
  const said = faults.map(fault => {
    const place = failingPlace(fault) ?? fault.places.at(-1)
    if (place === undefined) return fault.type ?? 'an error'
    return describeFault({ ...place, type: fault.type })
  })
  return [...new Set(said)].slice(0, 5).join('; ')
}
