// What single steps take, and what that comes to for a load.

/** Processor time and bytes of single steps, as they were measured. */
export interface Steps {
  /** Core-seconds to index a megabyte of source for the first time. */
  indexPerMb: number
  /** Core-seconds of one more commit. */
  commit: number
  /** Core-seconds of a crash that came a moment ago, and of a new one. */
  sameCrash: number
  newCrash: number
  /** Core-seconds of a job beside its own work. */
  job: number
  /** Bytes for each byte of source: of an index on a node's disk, of all that is in the object store. */
  indexBytes: number
  storedBytes: number
  /** Bytes that one more commit sends to the object store. */
  commitBytes: number
  /** Events of a job that follows a commit, and of one that resolves a trace. */
  eventsOfCommit: number
  eventsOfJob: number
}

/** What is to be carried, a day where nothing else is said. */
export interface Load {
  repositories: number
  mb: number
  crashes: number
  commits: number
  /** Jobs beside those that follow commits: fixes, tasks, runs of CI. */
  jobs: number
  /** How much more the busiest hour brings than the mean. */
  peak: number
}

const DAY_S = 86_400
const HOUR_S = 3_600

const rounded = (value: number): string => {
  if (value >= 100) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(2)))
}

/** The table of docs/scale.md. */
export function sizing(steps: Steps, load: Load): string[][] {
  const sourceMb = load.repositories * load.mb
  const ofDay = (seconds: number, count: number) => (seconds * count) / DAY_S
  const cores = (mean: number): string => `${rounded(mean)} cores in the mean, ${rounded(mean * load.peak)} at peaks`
  const jobs = load.commits + load.jobs
  const events = load.commits * steps.eventsOfCommit + load.jobs * steps.eventsOfJob
  return [
    ['work', 'what it takes'],
    ['first indexing of everything', `${rounded((sourceMb * steps.indexPerMb) / HOUR_S)} core-hours, once`],
    ['commits', cores(ofDay(steps.commit, load.commits))],
    ['crashes, if all repeat', cores(ofDay(steps.sameCrash, load.crashes))],
    ['crashes, if all differ', cores(ofDay(steps.newCrash, load.crashes))],
    ['handing jobs out and storing them', cores(ofDay(steps.job, jobs))],
    ['indexes on disks, a copy of each', `${rounded((sourceMb * steps.indexBytes) / 1_000)} GB`],
    ['indexes and clones in the object store', `${rounded((sourceMb * steps.storedBytes) / 1_000)} GB`],
    ['sent there for commits', `${rounded((load.commits * steps.commitBytes) / 1e9)} GB a day`],
    ['rows of jobs', `${rounded(jobs)} jobs and ${rounded(events)} events a day`],
  ]
}

/** Rows as a table of Markdown; the first one is its head. */
export function asTable(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [head = [], ...body] = rows
  return [line(head), line(widths.map(width => '-'.repeat(width))), ...body.map(line)].join('\n')
}
