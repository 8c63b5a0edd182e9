import { fileURLToPath } from 'node:url'

/** Where objects lie in S3. */
export interface S3Address {
  kind: 's3'
  /** Address of the service, without a slash at its end. */
  endpoint: string
  region: string
  bucket: string
  /** What all keys begin with: empty, or with a slash at its end. */
  prefix: string
}

/** An `OBJECT_STORE_URL`, taken apart. */
export type ObjectStoreAddress = S3Address | { kind: 'folder'; path: string } | { kind: 'postgres' }

/** What requests to S3 are signed with. */
export interface S3Credentials {
  accessKeyId: string
  secretAccessKey: string
  /** Of credentials that hold for a while. */
  sessionToken?: string
}

/** Where objects are kept, and how much of them on this machine. */
export interface ObjectStoreSettings {
  address: ObjectStoreAddress
  /** Null: there are none, which only S3 needs. */
  credentials: S3Credentials | null
  /** Bytes that what is kept there may take on the disk of this machine; null: half of that disk. */
  cacheBytes: number | null
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const REGION = /^[a-z0-9-]{1,40}$/
const PREFIX = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)*$/
const PARAMETERS: ReadonlySet<string> = new Set(['endpoint', 'region'])
const DEFAULT_REGION = 'us-east-1'

const withoutSlash = (text: string): string => (text.endsWith('/') ? text.slice(0, -1) : text)

/** What is wrong with the address of a service; null: nothing. */
function problemOfEndpoint(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) return 'its endpoint is no http(s) URL'
  const { username, password, search, hash } = url
  return username + password + search + hash === '' ? null : 'its endpoint has more than scheme, host, port and path'
}

function readS3(url: URL): S3Address | { problem: string } {
  const { host: bucket, username, password, pathname, searchParams, hash } = url
  if (username + password + hash !== '') return { problem: 'it holds credentials or a fragment' }
  const unknown = [...searchParams.keys()].find(name => !PARAMETERS.has(name))
  if (unknown !== undefined) return { problem: `it has the parameter ${JSON.stringify(unknown)}` }
  if (!BUCKET.test(bucket)) return { problem: 'it names no bucket' }
  const region = searchParams.get('region') ?? DEFAULT_REGION
  if (!REGION.test(region)) return { problem: 'its region is no name of one' }
  const folder = withoutSlash(pathname.slice(1))
  const prefix = folder === '' ? '' : `${folder}/`
  if (!PREFIX.test(prefix)) return { problem: 'its prefix has other signs than letters, digits, ".", "_", "-" and "/"' }
  const endpoint = searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`
  const problem = problemOfEndpoint(endpoint)
  return problem === null ? { kind: 's3', endpoint: withoutSlash(endpoint), region, bucket, prefix } : { problem }
}

function readFolder(url: URL): ObjectStoreAddress | { problem: string } {
  if (url.search + url.hash !== '') return { problem: 'it has more than a path' }
  try {
    return { kind: 'folder', path: fileURLToPath(url) }
  } catch {
    return { problem: 'it names no folder of this machine' }
  }
}

/**
 * Takes a URL apart: `file:///path`, `postgres:`, or `s3://bucket/prefix?endpoint=https://host&region=name`, without
 * an endpoint the one of AWS in the region.
 *
 * @returns What is wrong with it where it is none.
 */
export function readObjectStoreUrl(text: string): ObjectStoreAddress | { problem: string } {
  if (text === 'postgres:') return { kind: 'postgres' }
  if (!URL.canParse(text)) return { problem: 'it is no URL' }
  const url = new URL(text)
  if (url.protocol === 's3:') return readS3(url)
  if (url.protocol === 'file:') return readFolder(url)
  return { problem: `its scheme is ${url.protocol}` }
}
