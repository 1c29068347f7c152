import { supportedMimeTypes } from 'file-type'

/** What a sender says of a file, and what its first bytes say. */
export interface Claim {
  readonly name: string
  readonly declared: string
  /** Undefined: text, or something that has no mark. */
  readonly real: string | undefined
}

type TypeCheck =
  | { readonly is: 'refused'; readonly why: string }
  | { readonly is: 'passed'; readonly type: string }

const unknownType = 'application/octet-stream'

/** Pages and programs: a double click on what was saved runs them. */
const refusedTypes = new Set([
  ...['text/html', 'image/svg+xml', 'application/x-shockwave-flash', 'application/x-mach-binary'],
  ...['application/x-msdownload', 'application/x-dosexec', 'application/x-elf'],
  ...['application/x.ms.shortcut', 'application/x.apple.alias', 'application/java-vm'],
  ...['application/x-google-chrome-extension', 'application/xhtml+xml'],
])
const refusedExtensions = new Set([
  ...['htm', 'html', 'xht', 'xhtml', 'shtml', 'mht', 'mhtml', 'svg', 'svgz', 'swf', 'hta', 'htc'],
  ...['exe', 'com', 'scr', 'pif', 'cpl', 'msi', 'msp', 'msc', 'dll', 'sys', 'lnk', 'url', 'scf'],
  ...['bat', 'cmd', 'ps1', 'psm1', 'vb', 'vbs', 'vbe', 'js', 'jse', 'mjs', 'ws', 'wsf', 'wsh'],
  ...[
    'jar',
    'reg',
    'chm',
    'hlp',
    'inf',
    'gadget',
    'application',
    'appref-ms',
    'desktop',
    'command',
  ],
])

/** Several names of the same. */
const aliases: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'image/x-ms-bmp': 'image/bmp',
  'image/heif': 'image/heic',
  'image/x-icon': 'image/vnd.microsoft.icon',
  'audio/mp3': 'audio/mpeg',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/x-flac': 'audio/flac',
  'audio/x-aac': 'audio/aac',
  'audio/m4a': 'audio/mp4',
  'audio/x-m4a': 'audio/mp4',
  'audio/opus': 'audio/ogg',
  'application/ogg': 'audio/ogg',
  'video/x-m4v': 'video/mp4',
  'video/x-matroska': 'video/matroska',
  'application/x-zip-compressed': 'application/zip',
  'application/x-gzip': 'application/gzip',
  'application/x-pdf': 'application/pdf',
  'text/xml': 'application/xml',
}

/** Boxes that hold several types: the mark is that of the box. */
const boxes: readonly RegExp[] = [
  /^(?:audio|video)\/(?:mp4|quicktime|3gpp2?)$/,
  /^(?:audio|video)\/(?:webm|matroska)$/,
  /^(?:audio|video)\/ogg$/,
  /^(?:audio\/(?:aac|mpeg))$/,
  /zip$|openxmlformats|oasis\.opendocument|epub|java-archive|android\.package|apple\.(?:pages|numbers|keynote)|sketch/,
  /^application\/(?:x-cfb|msword|vnd\.ms-(?:excel|powerpoint|outlook|project)|vnd\.visio)/,
  /^application\/(?:gzip|x-tar|x-compressed-tar)$/,
  /[/+]xml$/,
]

const typeOfExtension: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  jfif: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  bmp: 'image/bmp',
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  ogv: 'video/ogg',
  opus: 'audio/ogg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  aac: 'audio/aac',
  pdf: 'application/pdf',
  zip: 'application/zip',
}

/** Whether the file is what it is said to be, and nothing that runs; and its type. */
export function checkType({ name, declared, real }: Claim): TypeCheck {
  const said = plain(declared)
  const extension = extensionOf(name)
  const found = real === undefined ? undefined : plain(real)
  if (refusedTypes.has(said) || (found !== undefined && refusedTypes.has(found))) {
    return refused('pages and programs are not taken')
  }
  if (extensionsOf(name).some((one) => refusedExtensions.has(one))) {
    return refused('its name is that of a page or a program')
  }
  const byName = typeOfExtension[extension]
  if (byName !== undefined && !fits(byName, found)) return refused('its name says another type')
  if (said === unknownType) return { is: 'passed', type: found ?? unknownType }
  if (!fits(said, found)) return refused('it is not of the type that was declared')
  return { is: 'passed', type: isMedia(said) ? said : (found ?? said) }
}

/** Whether something of this type may begin like that. */
function fits(said: string, found: string | undefined): boolean {
  // What has no mark may be anything but what has one.
  if (found === undefined) return !(isMedia(said) || marked.has(said))
  if (said === found) return true
  if (boxes.some((box) => box.test(said) && box.test(found))) return true
  const isKnown = isMedia(said) || isMedia(found) || marked.has(said)
  return !isKnown && !(said.startsWith('text/') && found !== 'application/xml')
}

const marked = new Set([...supportedMimeTypes].map(plain))

function isMedia(type: string): boolean {
  return /^(?:image|audio|video)\//.test(type)
}

function plain(type: string): string {
  const [first = ''] = type.toLowerCase().split(';')
  const trimmed = first.trim()
  return aliases[trimmed] ?? trimmed
}

function refused(why: string): TypeCheck {
  return { is: 'refused', why }
}

/** As a file system would read it, which drops what cannot be seen at the end. */
function extensionOf(name: string): string {
  const seen = name.replaceAll(/[\p{Cc}\p{Cf}]/gu, '').replace(/[. ]+$/, '')
  return /\.([^./\\]{1,20})$/.exec(seen)?.[1]?.trim().toLowerCase() ?? ''
}

/** Also of what stands before a colon, where Windows ends the name. */
function extensionsOf(name: string): readonly string[] {
  return [name, ...name.split(':').slice(0, -1)].map(extensionOf)
}
