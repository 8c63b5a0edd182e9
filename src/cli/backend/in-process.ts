import { createReadStream } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Static, TSchema } from 'typebox'
import { loadConfig, type LoadOptions } from '../../config.ts'
import { decodeNumberCursor, decodeTextCursor, encodeCursor } from '../../core/cursor.ts'
import { isTerminal, type JobType, type JsonObject } from '../../core/job.ts'
import { FaultlineError } from '../../core/errors.ts'
import { toWireEvent, toWireJob, toWireTranscript } from '../../contract/job-answer.ts'
import { ProjectPatch, ProjectSchema, SearchAnswerSchema } from '../../contract/project.ts'
import { LocatedSchema, ResolutionSchema, toWireParsed } from '../../contract/resolution.ts'
import { FeedbackBody } from '../../contract/kept-resolution.ts'
import { fromWire, toWire } from '../../contract/wire.ts'
import { findGitDirs } from '../../services/git-dirs.ts'
import { isHeld } from '../../services/folder-holder.ts'
import { createServices, type Log, type ServiceOptions, type Services } from '../../services/services.ts'
import type { Backend, PipelineType } from './backend.ts'

const PROGRESS_INTERVAL_MS = 100
/** Another process may run the job, which announces nothing here. */
const FOLLOW_INTERVAL_MS = 200
/** Whoever may read the folders sees all that is in them. */
const EVERY_PROJECT = (): boolean => true
/** Who acts here, for the audit log. */
const CLI = { keyName: 'cli', requestId: null }

/** The settings of the services, and the folders they may clone from. */
export interface InProcessOptions extends LoadOptions {
  /** Folders that the user named on the command line, so that they may be cloned from. */
  localRepos?: string[]
  log: Log
  /** How threads are started; real ones by default. */
  starter?: ServiceOptions['starter']
  /** What this process is, for a second one: `faultline clone`. */
  program?: string
  /** Only to look: needs no lock. */
  readOnly?: boolean
}

/**
 * The folders with their git directories: a work tree's repository may be kept elsewhere, and naming the one means the
 * other, too.
 */
async function withGitDirs(folders: string[]): Promise<string[]> {
  const found = await Promise.all(folders.map(folder => findGitDirs(folder)))
  return [...folders, ...found.flatMap(dirs => (dirs === null ? [] : [dirs.gitDir, dirs.commonDir]))]
}

/**
 * What a person has typed, as the schema wants it.
 *
 * @throws {FaultlineError} VALIDATION_FAILED
 */
async function checked<Schema extends TSchema>(schema: Schema, body: unknown): Promise<Static<Schema>> {
  const { Value } = await import('typebox/value')
  if (Value.Check(schema, body)) return body
  const [first] = Value.Errors(schema, body)
  const where = first === undefined || first.instancePath === '' ? 'the settings' : first.instancePath.slice(1)
  throw new FaultlineError('VALIDATION_FAILED', `${where.replaceAll('/', '.')} ${first?.message ?? 'cannot be used'}.`)
}

/**
 * The services as a backend; `close` closes the services.
 *
 * @param surroundings - `isWorkedOn`: whether a process is there that runs jobs; `clonesDir`: where the clones are.
 */
function createInProcessBackend(
  services: Services,
  { isWorkedOn, clonesDir }: { isWorkedOn: () => boolean; clonesDir: string },
): Backend {
  const { jobs, projects } = services
  let starting: Promise<void> | undefined

  /** The command line makes bodies that fit the schemas of the contract. */
  function pipelineOf(type: PipelineType) {
    const found = services.pipelineRoutes.find(one => one.type === type)
    if (found === undefined) throw new FaultlineError('BAD_REQUEST', `No request makes jobs of type ${type}.`)
    return found
  }

  /** Starts running jobs with the first one that is created or answered here; looking at jobs starts nothing. */
  const run = (): Promise<void> => (starting ??= services.start())

  async function createJob(type: JobType, input: JsonObject) {
    await run()
    const { job } = await jobs.create(type, input, CLI)
    return toWireJob(await jobs.get(job.id))
  }

  return {
    server: null,
    clonesDir,
    clone: async body => createJob('clone', await services.requests.clone.complete(body)),

    async upload(name, file, options, signal = new AbortController().signal) {
      const prepare = (upload: string) => services.requests.upload.complete({ ...options, upload, project_name: name })
      await prepare('') // what is wrong with the rest is said before the file is copied
      const { upload } = await services.uploads.receive(createReadStream(file) as AsyncIterable<Uint8Array>, { signal })
      return createJob('clone', await prepare(upload))
    },

    async startPipeline(type, body) {
      return createJob(type, await pipelineOf(type).complete(body as never))
    },
    async investigate(input) {
      return createJob('resolve', await services.requests.resolve.complete({ ...input, investigate: true }))
    },
    dryRun: (type, body) => pipelineOf(type).dryRun(body as never),

    async listJobs({ type, status, project_name: projectName, limit, cursor }) {
      const before = decodeNumberCursor(cursor)
      const page = await jobs.list({ type, status, projectName }, limit + 1, before)
      const last = page[limit - 1]
      return {
        data: page.slice(0, limit).map(toWireJob),
        next_cursor: page.length > limit && last !== undefined ? encodeCursor(last.seq) : null,
      }
    },
    getJob: async id => toWireJob(await jobs.get(id)),
    jobEvents: async (id, after) => ({ data: (await jobs.events(id, after)).map(toWireEvent) }),
    async *followJob(id, after, signal) {
      for (let last = after; ;) {
        signal.throwIfAborted()
        const { status } = await jobs.get(id)
        const isOver = isTerminal(status) || (status !== 'waiting' && starting === undefined && !isWorkedOn())
        for (const event of await jobs.events(id, last)) {
          yield toWireEvent(event)
          last = event.id
        }
        if (isOver) return
        await sleep(FOLLOW_INTERVAL_MS, undefined, { signal }).catch(() => signal.throwIfAborted())
      }
    },
    cancelJob: async id => toWireJob(await jobs.cancel(id, CLI)),
    async replyToJob(id, body) {
      const job = await jobs.reply(id, body, CLI.keyName)
      await run()
      return toWireJob(job)
    },
    jobFiles: async id => ({ data: await jobs.files(id) }),
    readJobFile: (id, path) => jobs.readFile(id, path),
    jobText: (id, kind) => jobs.text(id, kind),
    async jobTranscript(id) {
      const { job, entries } = await jobs.transcript(id)
      return { data: toWireTranscript(job, await jobs.input(id), entries) }
    },
    removeJob: id => jobs.remove(id, CLI),

    async retryJob(id, { from_step: fromStep, ...overrides }) {
      const earlier = await jobs.get(id)
      // the command line overrides nothing
      const input = await services.completeRetry({
        type: earlier.type,
        input: await jobs.input(id),
        overrides: overrides as JsonObject,
        validate: () => {},
      })
      const { job } = await jobs.retry(id, input, { fromStep, ...CLI })
      await run()
      return toWireJob(await jobs.get(job.id))
    },

    listTasks: query => services.tasks.page(query, null),
    getTask: number => services.tasks.get(number, null),

    async waitForJob(id, { signal, onProgress }) {
      for (;;) {
        const job = await jobs.settled(id, PROGRESS_INTERVAL_MS, signal)
        signal?.throwIfAborted()
        await onProgress?.(toWireJob(job))
        if (isTerminal(job.status) || job.status === 'waiting') return toWireJob(job)
      }
    },

    async resolve(input, { signal, onLocated, onToken, onRestart } = {}) {
      return toWire(
        ResolutionSchema,
        await services.resolving.resolve(input, {
          signal,
          onLocated: located => onLocated?.(toWire(LocatedSchema, located)),
          onToken,
          onRestart,
        }),
      )
    },

    async listProjects({ limit, cursor }) {
      const { projects: page, next } = await projects.list(limit, decodeTextCursor(cursor))
      return {
        data: page.map(project => toWire(ProjectSchema, project)),
        next_cursor: next === null ? null : encodeCursor(next),
      }
    },
    getProject: async name => toWire(ProjectSchema, await projects.get(name)),
    async changeProject(name, body) {
      const changes = fromWire(ProjectPatch, await checked(ProjectPatch, body))
      return toWire(ProjectSchema, await services.changeProject(name, changes, CLI))
    },
    deleteProject: (name, options = {}) => services.removeProject(name, options, CLI),
    listAudit: query => services.audit.page(query, null),

    parse: async (text, signal) => toWireParsed(await services.resolving.parse(text, signal)),
    async listResolutions({ project_name: name, fingerprint, with_feedback: withFeedback, limit, cursor }) {
      const projectNames = name === undefined ? null : [name]
      const filter = { projectNames, fingerprint, withFeedback }
      const page = await services.resolutions.list(filter, limit + 1, decodeNumberCursor(cursor))
      const last = page[limit - 1]
      return {
        data: page.slice(0, limit).map(({ seq: _seq, ...row }) => row),
        next_cursor: page.length > limit && last !== undefined ? encodeCursor(last.seq) : null,
      }
    },
    getResolution: async id => ({
      ...(await services.resolutions.get(id, EVERY_PROJECT)),
      stacktrace: await services.resolutions.traceOf(id, EVERY_PROJECT),
    }),
    judgeResolution: async (id, body) =>
      services.resolutions.judge(id, EVERY_PROJECT, { ...(await checked(FeedbackBody, body)), keyName: CLI.keyName }),
    async search(name, query, limit, signal) {
      const { hits: data, ...rest } = await services.resolving.search(name, query, limit, signal)
      return toWire(SearchAnswerSchema, { data, ...rest })
    },

    readCommitted: services.readCommitted,
    ready: () => services.ready(),
    cluster: () => services.node.overview(),

    async finishBackgroundWork(signal) {
      const { promise: left, resolve: leave } = Promise.withResolvers<void>()
      signal?.addEventListener('abort', () => leave(), { once: true })
      await Promise.race([services.idle(), left])
    },
    close: () => services.close(),
  }
}

/**
 * Opens the services of this process as a backend. Only to look it holds no lock, and what would change something
 * fails with DATA_DIR_LOCKED.
 *
 * @throws {FaultlineError} CONFIG_INVALID, DATA_DIR_LOCKED
 */
export async function openInProcess({
  localRepos = [],
  log,
  starter,
  program,
  readOnly = false,
  ...sources
}: InProcessOptions): Promise<Backend> {
  const config = loadConfig(sources)
  const allowLocalRepos = [...config.allowLocalRepos, ...(await withGitDirs(localRepos))]
  const services = await createServices({ ...config, allowLocalRepos }, log, { starter, program, readOnly })
  await services.sweep()
  return createInProcessBackend(services, { isWorkedOn: () => isHeld(config), clonesDir: config.clonedReposDir })
}
