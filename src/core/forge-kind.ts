/** Software of forges whose API is spoken here; Forgejo speaks as Gitea does. */
export const FORGE_KINDS = ['github', 'gitlab', 'gitea', 'bitbucket'] as const
/** One of them. */
export type ForgeKind = (typeof FORGE_KINDS)[number]

/** Whether a word is one of them. */
export const isForgeKind = (word: string): word is ForgeKind => (FORGE_KINDS as readonly string[]).includes(word)
