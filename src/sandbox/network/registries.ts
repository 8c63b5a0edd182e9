import { join } from 'node:path'
import { textOf } from '../jail/optional-files.ts'

/** Where the bridge to the registry proxy listens in the jail. */
export const PROXY_PORT = 3128
const PROXY_URL = `http://127.0.0.1:${PROXY_PORT}`
/** What sends the programs of a JVM through the proxy, which read no variable of the other kind. */
const JVM_PROXY = ['http', 'https'].flatMap(scheme => [
  `-D${scheme}.proxyHost=127.0.0.1`,
  `-D${scheme}.proxyPort=${PROXY_PORT}`,
])

const NPM_DEFAULT = 'https://registry.npmjs.org/'
const PIP_DEFAULT = 'https://pypi.org/simple/'
/** The host of pypi.org's files. */
const PYPI_FILES = 'files.pythonhosted.org'

/** Package registries that programs may reach. */
interface Registries {
  /** `host` for the scheme's own port, else `host:port`. */
  hosts: string[]
  /** Variables that make npm and pip use them; without names and passwords. */
  env: Record<string, string>
}

/** The web URLs in texts, without credentials. */
function webUrls(texts: readonly string[]): URL[] {
  return texts
    .filter(text => /^https?:/i.test(text) && URL.canParse(text))
    .map(text => {
      const url = new URL(text)
      url.username = ''
      url.password = ''
      return url
    })
}

/** A value in the configuration of npm or pip; lines that begin with a space continue the value, as for pip. */
function valueOf(text: string, name: string): string | undefined {
  const lines = text.split('\n')
  const start = lines.findIndex(line => line.includes('=') && line.slice(0, line.indexOf('=')).trim() === name)
  if (start === -1) return undefined
  const first = lines[start]?.slice(lines[start].indexOf('=') + 1) ?? ''
  const rest = lines.slice(start + 1)
  const end = rest.findIndex(line => !/^\s+\S/.test(line))
  return [first, ...rest.slice(0, end === -1 ? rest.length : end)]
    .map(part => part.trim())
    .join(' ')
    .trim()
    .replace(/^"|"$/g, '')
}

/**
 * The package registries that npm and pip are configured for on this machine.
 *
 * @param variables - The environment; npm's and pip's variables are read.
 * @param home - Folder with `.npmrc` and pip's configuration.
 */
export function configuredRegistries(
  variables: Readonly<Record<string, string | undefined>>,
  home: string,
): Registries {
  const npmrc = textOf(join(home, '.npmrc'))
  const pipConf = ['/etc/pip.conf', join(home, '.pip/pip.conf'), join(home, '.config/pip/pip.conf')]
    .map(textOf)
    .join('\n')
  const npm = [
    variables.npm_config_registry ?? variables.NPM_CONFIG_REGISTRY ?? valueOf(npmrc, 'registry') ?? NPM_DEFAULT,
  ]
  const scoped = [...npmrc.matchAll(/^@[\w.-]+:registry\s*=\s*(\S+)/gm)].map(([, url]) => url ?? '')
  const pip = [variables.PIP_INDEX_URL ?? valueOf(pipConf, 'index-url') ?? PIP_DEFAULT]
  const extra = (variables.PIP_EXTRA_INDEX_URL ?? valueOf(pipConf, 'extra-index-url') ?? '').split(/\s+/)
  const [npmUrl] = webUrls(npm)
  const [pipUrl] = webUrls(pip)
  const extraUrls = webUrls(extra)
  const urls = [...webUrls([...npm, ...scoped, ...pip]), ...extraUrls]
  const hosts = new Set(urls.map(url => url.host))
  if (hosts.has('pypi.org')) hosts.add(PYPI_FILES)
  return {
    hosts: [...hosts],
    env: {
      ...(npmUrl === undefined ? {} : { npm_config_registry: npmUrl.href }),
      ...(pipUrl === undefined ? {} : { PIP_INDEX_URL: pipUrl.href }),
      ...(extraUrls.length === 0 ? {} : { PIP_EXTRA_INDEX_URL: extraUrls.map(({ href }) => href).join(' ') }),
    },
  }
}

/** Hosts that programs reach without the proxy, their own servers in the jail, unless a registry has the name. */
const OWN_HOSTS = ['localhost', '127.0.0.1', '::1']

/**
 * Variables that send npm, pip and other programs through the proxy, and keep npm and pip from running what they
 * download.
 */
export function egressEnv({
  registries,
  registryEnv,
}: {
  registries: readonly string[]
  registryEnv: Readonly<Record<string, string>>
}): Record<string, string> {
  const noProxy = OWN_HOSTS.filter(
    host =>
      !registries.some(
        entry =>
          entry === host || entry === `[${host}]` || entry.startsWith(`${host}:`) || entry.startsWith(`[${host}]:`),
      ),
  ).join(',')
  return {
    HTTP_PROXY: PROXY_URL,
    HTTPS_PROXY: PROXY_URL,
    http_proxy: PROXY_URL,
    https_proxy: PROXY_URL,
    NO_PROXY: noProxy,
    no_proxy: noProxy,
    JAVA_TOOL_OPTIONS: JVM_PROXY.join(' '),
    npm_config_proxy: PROXY_URL,
    npm_config_https_proxy: PROXY_URL,
    npm_config_ignore_scripts: 'true',
    npm_config_fetch_retry_mintimeout: '500', // what is refused is tried three times, which takes minutes otherwise
    npm_config_fetch_retry_maxtimeout: '5000',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    NODE_USE_SYSTEM_CA: '1', // a registry behind a company's own authority
    PIP_PROXY: PROXY_URL,
    PIP_ONLY_BINARY: ':all:',
    PIP_NO_INPUT: '1',
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
    UV_NO_PROGRESS: '1',
    PIP_BREAK_SYSTEM_PACKAGES: '1', // nothing can be broken: they go to the jail's own HOME
    ...registryEnv,
  }
}
