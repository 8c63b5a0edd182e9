import { lowerBaseName } from './path-names.ts'

/** Names whose content is a secret by custom. What is meant to be copied and filled in (`.env.example`) is not one. */
const SECRET = [
  /^\.env(?:rc)?$/,
  /^\.env\.(?!(?:.*\.)?(?:example|sample|template|dist|defaults)$).+/,
  /^(?!(?:example|sample|template)\.env$).+\.env$/,
  /\.(?:pem|key|p12|pfx|p8|jks|jceks|bks|keystore|keychain|kdbx?|ppk|asc|gpg|tfstate|ovpn|agekey)$/,
  /\.tfstate\.backup$/,
  /\.tfvars(?:\.json)?$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:[._-].*)?$/,
  /^(?:ssh_)?host_(?:rsa|dsa|ecdsa|ed25519)_key$/,
  /^[._]netrc$/,
  /^\.(?:npmrc|yarnrc\.auth|pypirc|pgpass|my\.cnf|mylogin\.cnf|htpasswd|dockercfg|git-credentials|s3cfg|boto|vault-token|vault_pass|condarc|gem_credentials|esmtprc|msmtprc|fetchmailrc)$/,
  /(?:^|[._-])(?:credentials?|secrets?)(?:[._-][\w.-]+)?\.(?:json|ya?ml|toml|ini|cfg|conf|properties|xml|enc)$/,
  /^(?:credentials|\.?vault_password|master\.key)$/,
  /(?:^|[._-])kubeconfig(?:[_-][\w-]*)?$/,
  /(?:^|[._-])kubeconfig(?:[._-][\w.-]*)?\.(?:ya?ml|json|conf|cfg)$/,
  /(?:^|[._-])(?:service[-_]?account|client[-_]?secret)[\w.-]*\.json$/,
  /[._-]key\.json$/,
  /adminsdk[\w.-]*\.json$/,
  /^auth\.json$/,
]

const LOCK_FILES: ReadonlySet<string> = new Set([
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'bun.lockb',
  'go.sum',
  'go.work.sum',
  'packages.lock.json',
  'project.assets.json',
  'gradle.lockfile',
  'buildscript-gradle.lockfile',
  'package.resolved',
  'conda-lock.yml',
  'conda-lock.yaml',
  'cartfile.resolved',
  'podfile.lock',
  'module.bazel.lock',
  '.terraform.lock.hcl',
  'shrinkwrap.yaml',
])

const MINIFIED = /[.-]min\.(?:js|mjs|cjs|css|html?)$/

const BINARY_ENDINGS: ReadonlySet<string> = new Set(
  (
    'png jpg jpeg jpe gif bmp ico icns cur webp avif heic tif tiff psd ai eps raw xcf sketch fig ' +
    'mp3 mp4 m4a m4v mov avi mkv webm ogg ogv oga wav flac aac mid midi wma wmv ' +
    'woff woff2 ttf ttc otf eot pfb ' +
    'zip gz tgz bz2 xz lzma zst 7z rar tar jar war ear aar apk ipa whl egg gem crate nupkg ' +
    'deb rpm dmg iso msi cab br lz4 ' +
    'exe dll so dylib a o obj lib pdb class pyc pyo pyd elc beam wasm node bin dat com ' +
    'pdf doc docx xls xlsx ppt pptx odt ods odp pages numbers rtf ' +
    'db sqlite sqlite3 mdb accdb dbf parquet feather arrow orc h5 hdf5 npy npz pkl pickle joblib ' +
    'pt pth onnx pb tflite safetensors gguf mo gmo rds rdata nc fits ' +
    'swf fla blend glb fbx stl 3ds dwg max unitypackage asset pak snap.zst dump pcap'
  ).split(' '),
)

/** Whether a file of this name holds secrets by custom: keys, passwords, credentials. */
export function isSecretName(path: string): boolean {
  const name = lowerBaseName(path)
  if (SECRET.some(pattern => pattern.test(name))) return true
  return name === 'config.json' && /(?:^|\/)\.docker\/config\.json$/i.test(path)
}

/** Whether a package manager wrote this file to pin versions. */
export function isLockFileName(path: string): boolean {
  const name = lowerBaseName(path)
  return name.endsWith('.lock') || LOCK_FILES.has(name)
}

/** Whether the name says that the code in it was minified. */
export const isMinifiedName = (path: string): boolean => MINIFIED.test(lowerBaseName(path))

/** Whether the ending alone tells that the content is not text. */
export function isBinaryName(path: string): boolean {
  const name = lowerBaseName(path)
  return name.includes('.') && BINARY_ENDINGS.has(name.slice(name.lastIndexOf('.') + 1))
}

/** Deeper than people go; a repository of some kilobytes can hold a million folders in one another. */
const MAX_DEPTH = 100
/** What file systems take for one name. */
const MAX_NAME_LENGTH = 255

// eslint-disable-next-line no-control-regex -- they are what is looked for
const UNSAFE_CHARACTER = /[\u0000-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069\\\uFFFD]/

/**
 * Whether a path could do harm where it is shown, joined or compared: control characters, `..`, absolute, not UTF-8,
 * endless.
 */
export function isUnsafePath(path: string): boolean {
  if (path === '' || path.length > 4096 || UNSAFE_CHARACTER.test(path)) return true
  const segments = path.split('/')
  return (
    segments.length > MAX_DEPTH ||
    segments.some(segment => segment === '' || segment.length > MAX_NAME_LENGTH || segment === '.' || segment === '..')
  )
}
