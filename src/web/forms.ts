import { Type } from '../core/type.ts'

/** The field that shows that a form came from one of our pages. */
export const CsrfToken = Type.String({ maxLength: 200 })

/** A form that is only a button. */
export const PlainForm = Type.Object({ _csrf: CsrfToken }, { additionalProperties: false })
