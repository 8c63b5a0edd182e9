/** Characters of texts in a reply to a job, whichever way it comes. */
export const MAX_REPLY_CHARS = { answer: 100_000, comment: 20_000 }
