// Made up here from pieces, so that no scanner takes this file for a leak.
const MIXED = 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6'
const PEM_LINES = [
  'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKB',
  '/wJa1rXUtn2FEMIK7MDENGbPxRfiCYzzkEq3Kx9aB3dE6gH9jK2mN5pQ8sT1vW4y',
  'Zq81mVx2==',
]

/** A kind of secret: how it stands in a text, and what must be found nowhere afterwards. */
export interface PlantedSecret {
  kind: string
  /** One or several lines. */
  text: string
  secrets: readonly string[]
}

const token = (kind: string, secret: string): PlantedSecret => ({ kind, text: secret, secrets: [secret] })
const placed = (kind: string, before: string, secret: string, after = ''): PlantedSecret => ({
  kind,
  text: before + secret + after,
  secrets: [secret],
})
const key = (kind: string): PlantedSecret => ({
  kind,
  text: [`-----BEGIN ${kind}-----`, ...PEM_LINES, `-----END ${kind}-----`].join('\n'),
  secrets: PEM_LINES,
})

/** One of each kind of secret. */
export const PLANTED: readonly PlantedSecret[] = [
  token('GitHub', `${'ghp_'}${MIXED}`),
  token('GitHub, fine-grained', `${'github_pat_'}11ABCDEFG0${MIXED}_${MIXED}`),
  token('GitLab', `${'glpat-'}aB3dE6gH9jK2mN5pQ8sT`),
  token('AWS', `${'AKIA'}IOSFODNN7EXAMPLQ`),
  token('Slack', `${'xoxb-'}123456789012-123456789012-${MIXED.slice(0, 24)}`),
  token('OpenAI', `${'sk-'}proj-${MIXED}`),
  token('npm', `${'npm_'}${MIXED}`),
  token('Stripe', `${'sk_'}live_${MIXED.slice(0, 24)}`),
  token('Google', `${'AIza'}${MIXED.slice(0, 35)}`),
  token('JWT', ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxMjM0NTY3ODkwIn0', 'dozjgNryP4J3jVmNHl0w5N'].join('.')),
  placed('a variable of a shell', 'DB_PASSWORD=', 'swordfish7'),
  placed('four characters', 'SMTP_PASSWORD=', 'xq7b'),
  placed('a setting', 'password=', 'zxcvq'),
  placed('a value in quotes', 'password = "', 'hunter22x', '"'),
  placed('a key of an API', 'api_key: "', MIXED, '"'),
  placed('a connection string', 'postgres://app:', 's3cr3tpw', '@db:5432/shop'),
  placed('a header', 'Authorization: Bearer ', MIXED),
  key('PRIVATE KEY'),
  key('RSA PRIVATE KEY'),
  key('OPENSSH PRIVATE KEY'),
  key('PGP PRIVATE KEY BLOCK'),
]

/** What of a secret is still in a text; null when nothing is. */
export const leakOf = (text: string, { secrets }: PlantedSecret): string | null =>
  secrets.find(secret => text.includes(secret)) ?? null
