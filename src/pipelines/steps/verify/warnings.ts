import type { ProgramRun } from '../../../contract/generation-results.ts'

/** A line of a compiler, linter or test runner that warns; not one that counts warnings. */
const WARNS = /(?:^|[\s:[(])(?:\w*warning|warn)(?:\[[\w-]{1,40}\])?[:)\]]/i

/** Lines of what a program printed that warn of something. */
export const countWarnings = ({ stdout, stderr }: Pick<ProgramRun, 'stdout' | 'stderr'>): number =>
  `${stdout}\n${stderr}`.split('\n').filter(line => WARNS.test(line.slice(0, 500))).length
