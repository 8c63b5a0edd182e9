import { Type } from '../core/type.ts'

/** A number that names something in an API; beyond these a double is not exact. */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
/** Text of any length. */
export const Text = Type.String()
/** A name, of a person or a branch. */
export const Name = Type.String({ minLength: 1, maxLength: 500 })
/** The address of a page, which goes into results: no other scheme may stand there. */
export const PageUrl = Type.String({ pattern: '^https?://[^\\s"<>]+$', maxLength: 2_000 })
/** The id of a commit, which a forge may shorten, or leave out. */
export const MaybeCommit = Type.Optional(Type.Union([Type.String({ pattern: '^[0-9a-f]{7,64}$' }), Type.Null()]))
/** Whether something is so, where a forge says it. */
export const MaybeFlag = Type.Optional(Type.Union([Type.Boolean(), Type.Null()]))
/** The answer of a call of which only the status matters. */
export const Anything = Type.Unknown()
/** Text that a forge leaves out where there is none. */
export const MaybeText = Type.Optional(Type.Union([Text, Type.Null()]))
