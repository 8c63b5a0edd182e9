/** As in CI; while developing a tenth of the cases answers sooner. */
export const RUNS_ALL = process.env.FAULTLINE_PROPERTY_RUNS === 'all'
const SHARE = 10

/** How many of the rounds that CI goes, each of which starts servers. */
export const roundsOf = (all: number): number => (RUNS_ALL ? all : Math.ceil(all * 0.4))

/** How many cases a property is tried with, of the number that CI tries. */
export const runs = (all: number): number => (RUNS_ALL ? all : Math.ceil(all / SHARE))

/** The length of a hostile text, or the time that it may take: all in CI, else a fifth of both. */
export const scaled = (all: number): number => (RUNS_ALL ? all : Math.ceil(all / 5))

/** The cases of a long list that are tried: all in CI, else every tenth. */
export const someOf = <T>(all: readonly T[]): readonly T[] =>
  RUNS_ALL ? all : all.filter((_, index) => index % SHARE === 0)
