import type { TSchema } from 'typebox'

/** A request to a route of this server. */
export interface RouteRequest {
  method: 'GET' | 'POST'
  /** With its query. */
  path: string
  body?: object
  headers?: Readonly<Record<string, string>>
}

/** Whoever calls a tool: what the key may do, and the way to the routes, which check that again. */
export interface Caller {
  mayWrite: boolean
  /**
   * Asks a route as the caller.
   *
   * @returns The JSON that it answers.
   * @throws {RouteProblem} Any answer that is none of success.
   */
  ask: (request: RouteRequest) => Promise<unknown>
  /** Checks arguments as routes check a body. @throws {RouteProblem} VALIDATION_FAILED, which names the fields. */
  check: (schema: TSchema, args: unknown) => void
  /** The first lines of a text that have no more tokens than that. */
  cutToTokens: (text: string, maxTokens: number) => Promise<{ text: string; tokens: number }>
  /** Fires when the caller has hung up. */
  signal: AbortSignal
}

/** What a route answered in place of what it was asked for. */
export class RouteProblem extends Error {
  readonly code: string
  readonly fix: string | undefined

  constructor({ code, detail, fix }: { code: string; detail: string; fix?: string }) {
    super(detail)
    this.name = 'RouteProblem'
    this.code = code
    this.fix = fix
  }
}

/** A path with each of its variable parts encoded. */
export const pathOf = (parts: TemplateStringsArray, ...values: string[]): string =>
  String.raw({ raw: parts }, ...values.map(value => encodeURIComponent(value)))
