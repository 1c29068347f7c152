import type { NewMessage } from '@chorale/contract/messages'
import type { Actor, AppIdentity, Caller } from '../../../pipeline/caller.ts'
import { badRequest, Failure } from '../../../pipeline/failure.ts'
import type { AppendCtx } from '../../../pipeline/handler.ts'
import type { Entry, EntryFile, Extra } from '../../log/entries/index.ts'
import { unseenAmong } from '../../users/index.ts'

type Data = Readonly<Record<string, unknown>>
type Settled = Pick<AppIdentity, 'settings'>

export interface Content {
  readonly category: string
  readonly type: string
  /** As it is stored: checked, with what the interface fills in. */
  readonly data: Data
  readonly mentions: readonly string[]
  /** Of uploads that its attachments name. */
  readonly files?: readonly EntryFile[]
}

export interface To {
  readonly type: 'user' | 'group'
  readonly id: string
}

interface Sender {
  readonly uid: string
  /** Undefined: the app sends, and no rule of a user applies. */
  readonly actor: Actor | undefined
}

/** What a call wants to be sent, to one receiver or to several. */
export interface Draft {
  readonly ctx: AppendCtx
  readonly sender: Sender
  readonly body: NewMessage
  /** The message that it replies to. */
  readonly parent?: Entry | undefined
  /** Checked once, however many receivers it has: rules know it by its data. */
  content?: Content
}

/** A message on its way to one receiver. */
export interface Outgoing extends Draft {
  readonly to: To
  readonly content: Content
}

const mediaTypes = ['image', 'file', 'audio', 'video']
const interactiveTypes = ['form', 'card', 'scheduler', 'customInteractive']
const callTypes = ['audio', 'video']
const callActions = ['initiated', 'ongoing', 'cancelled', 'rejected', 'unanswered', 'busy', 'ended']
const maxMentions = 10

/** Buttons may lead into an app by a scheme of its own; these run or read what the sender chose. */
const dangerous = ['javascript:', 'vbscript:', 'data:', 'blob:', 'file:']

/** What hooks have put into a message, and nobody else may. */
const injected = '@injected'

/** What a device says of hooks is left out; the server of the app may say so. */
export function saidBy({ kind }: Caller, given: Data = {}): Data {
  const { metadata } = given
  if (kind !== 'device' || !isObject(metadata) || !(injected in metadata)) return given
  const { [injected]: _, ...rest } = metadata
  return { ...given, metadata: rest }
}

/** An edit leaves alone what hooks have put in, unless it says otherwise. */
export function keepingInjected(given: Data, stored: Data): Data {
  const { metadata = {} } = given
  const before = isObject(stored.metadata) ? stored.metadata[injected] : undefined
  if (before === undefined || !isObject(metadata) || injected in metadata) return given
  return { ...given, metadata: { ...metadata, [injected]: before } }
}

/** What stands beside the data: most messages have none of it. */
export function extraOf(message: Outgoing): Promise<Extra> | undefined {
  const { body, parent, content } = message
  const { tags = [], quotedMessageId: quoted } = body
  const { mentions, files = [] } = content
  const count = tags.length + mentions.length + files.length
  return count > 0 || quoted !== undefined || parent ? collectExtra(message) : undefined
}

async function collectExtra({ ctx, sender, body, parent, content }: Outgoing): Promise<Extra> {
  const { tags = [], quotedMessageId: quoted } = body
  const { mentions, files = [] } = content
  const unseen = await unseenAmong({ db: ctx.db, actor: sender.actor }, mentions)
  return {
    ...(tags.length > 0 && { tags }),
    ...(mentions.length > 0 && { mentions }),
    ...(unseen.length > 0 && { unseen }),
    ...(quoted !== undefined && { quoted: Number(quoted) }),
    ...(parent && { parent: parent.row.id }),
    ...(files.length > 0 && { files }),
  }
}

/** What a message must be, by its category and type. */
export function checkContent(
  app: Settled,
  category: string,
  type: string,
  given: Data = {},
): Content {
  const data = saysWhatIsShown(given) ? withoutShown(given) : given
  if (data.metadata !== undefined && !isObject(data.metadata))
    throw new Failure('ERR_INVALID_METADATA')
  const checked = checkers[category]?.(type, data, app) ?? data
  requireReadableAttachments(checked)
  requireSafeLinks(checked)
  return { category, type, data: checked, mentions: mentionsIn(checked.text) }
}

/** Fields of an answer: a client that sends back what it has read means to send the rest. */
const shown = ['entities', 'mentions', 'reactions', 'moderation'] as const

function saysWhatIsShown(data: Data): boolean {
  return shown.some((name) => name in data)
}

function withoutShown({
  entities: _,
  mentions: __,
  reactions: ___,
  moderation: ____,
  ...data
}: Data) {
  return data
}

type Checker = (type: string, data: Data, app: Settled) => Data

const checkers: Readonly<Record<string, Checker>> = {
  message(type, data, app) {
    if (type === 'text') return checkText(data)
    if (mediaTypes.includes(type)) return checkMedia(data, app)
    throw unknownType('message', type, ['text', ...mediaTypes])
  },
  custom(_, data) {
    if (data.customData === undefined) throw new Failure('ERR_EMPTY_CUSTOM_DATA')
    if (!isObject(data.customData)) throw new Failure('ERR_INVALID_CUSTOM_DATA')
    return data
  },
  interactive(type, data) {
    if (!interactiveTypes.includes(type)) {
      throw unknownType('interactive', type, interactiveTypes)
    }
    if (!isObject(data.interactiveData)) {
      const what = 'An interactive message has data.interactiveData, an object.'
      throw new Failure('ERR_INVALID_MESSAGE_DATA', { what })
    }
    return { allowSenderInteraction: false, ...data }
  },
  call(type, data) {
    if (!callTypes.includes(type)) {
      throw unknownType('call', type, callTypes)
    }
    if (!callActions.includes(String(data.action))) {
      const what = `A call has data.action, one of: ${callActions.join(', ')}.`
      throw new Failure('ERR_INVALID_MESSAGE_DATA', { what })
    }
    return data
  },
}

function unknownType(category: string, type: string, types: readonly string[]): Failure {
  return new Failure('ERR_INVALID_MESSAGE_TYPE', { category, type, types: types.join(', ') })
}

function checkText(data: Data): Data {
  if (data.text === undefined || data.text === '') throw new Failure('ERR_EMPTY_MESSAGE_TEXT')
  if (typeof data.text !== 'string') throw new Failure('ERR_INVALID_MESSAGE_TEXT')
  return data
}

/** A caption may come with it; `url` repeats the first attachment's. */
function checkMedia(data: Data, { settings }: Settled): Data {
  if (data.text !== undefined && typeof data.text !== 'string') {
    throw new Failure('ERR_INVALID_MESSAGE_TEXT')
  }
  const attachments = isEmpty(data.attachments) ? linkedBy(data.url) : data.attachments
  if (attachments === undefined) {
    throw new Failure('ERR_EMPTY_MESSAGE_FILE')
  }
  if (!Array.isArray(attachments)) throw new Failure('ERR_INVALID_MEDIA_MESSAGE')
  const asNumber = settings['messages.attachmentSizeAsNumber'] === true
  const checked = attachments.map((one) => checkAttachment(one, asNumber))
  return { ...data, attachments: checked, url: checked[0]?.url }
}

function isEmpty(list: unknown): boolean {
  return list === undefined || (Array.isArray(list) && list.length === 0)
}

/** What `url` alone names: the file at its end. */
function linkedBy(url: unknown): object[] | undefined {
  if (!isHttpUrl(url)) return undefined
  const name = URL.parse(url)?.pathname.split('/').at(-1) ?? ''
  const [, extension] = /\.([A-Za-z0-9]{1,10})$/.exec(name) ?? []
  return [{ url, ...(name && { name }), ...(extension && { extension }) }]
}

/** Of any category: whoever shows the message reads these fields. */
function requireReadableAttachments({ attachments = [] }: Data): void {
  if (!Array.isArray(attachments)) throw new Failure('ERR_INVALID_MEDIA_MESSAGE')
  for (const attachment of attachments) {
    if (!isObject(attachment)) throw new Failure('ERR_INVALID_MEDIA_MESSAGE')
    const { uploadId, url, name, mimeType, extension, size } = attachment
    const isReadable =
      [uploadId, url, name, mimeType, extension].every(isTextOrAbsent) &&
      (isTextOrAbsent(size) || Number.isSafeInteger(size))
    if (!isReadable) throw new Failure('ERR_INVALID_MEDIA_MESSAGE')
  }
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}

interface CheckedAttachment {
  readonly url?: string
  readonly uploadId?: string
}

function checkAttachment(attachment: unknown, sizeAsNumber: boolean): CheckedAttachment {
  // What it is, the upload says; an address that came with it was made for its reader.
  if (isObject(attachment) && typeof attachment.uploadId === 'string') {
    return { uploadId: attachment.uploadId }
  }
  if (!isObject(attachment) || !isHttpUrl(attachment.url)) {
    throw new Failure('ERR_INVALID_MEDIA_MESSAGE')
  }
  const { url, name, mimeType, extension, size } = attachment
  const texts = { name, mimeType, extension }
  if (!Object.values(texts).every(isTextOrAbsent)) throw new Failure('ERR_INVALID_MEDIA_MESSAGE')
  // Clients that do not know the size say so in a word.
  const isUnknown = typeof size === 'string' && !/^\s*\d+\s*$/.test(size)
  const bytes = size === undefined || isUnknown ? undefined : Number(size)
  if (bytes !== undefined && !Number.isSafeInteger(bytes))
    throw new Failure('ERR_INVALID_MEDIA_MESSAGE')
  return {
    url,
    ...texts,
    ...(bytes !== undefined && { size: sizeAsNumber ? bytes : String(bytes) }),
  }
}

/** Whether a client may show and open it. The parser drops line breaks and blanks, as browsers do. */
function isHttpUrl(value: unknown): value is string {
  const protocol = typeof value === 'string' ? URL.parse(value)?.protocol : undefined
  return protocol === 'https:' || protocol === 'http:'
}

/** The links that the interface knows, in a message of any category. */
function requireSafeLinks({ attachments, interactiveData }: Data): void {
  if (attachments === undefined && interactiveData === undefined) return
  const files = Array.isArray(attachments) ? attachments : []
  for (const { url } of files.map(Object)) {
    if (url !== undefined && !isHttpUrl(url)) throw new Failure('ERR_INVALID_MEDIA_MESSAGE')
  }
  const { avatarUrl, icsFileUrl, ...form } = Object(interactiveData)
  const addresses = [avatarUrl, icsFileUrl].filter((url) => url !== undefined && url !== '')
  const isSafe = addresses.every(isHttpUrl) && !actionUrlsIn(form).some(isDangerous)
  if (isSafe) return
  const what = `Links begin with http:// or https://; those of buttons not with one of: ${dangerous.join(', ')}.`
  throw new Failure('ERR_INVALID_MESSAGE_DATA', { what })
}

function actionUrlsIn({ formFields, cardActions, submitElement, scheduleElement }: Data) {
  return [formFields, cardActions, submitElement, scheduleElement]
    .flat()
    .map((element) => Object(Object(element).action).url)
}

function isDangerous(url: unknown): boolean {
  return typeof url === 'string' && dangerous.includes(URL.parse(url)?.protocol ?? '')
}

/** `<@uid:ann>` speaks to ann; the text keeps the form. */
function mentionsIn(text: unknown): string[] {
  if (typeof text !== 'string' || !text.includes('<@uid:')) return []
  const found = text.matchAll(/<@uid:([A-Za-z0-9_-]{1,100})>/g)
  const uids = [...new Set([...found].map(([, uid = '']) => uid.toLowerCase()))]
  if (uids.length > maxMentions) {
    throw badRequest('data.text', `Mention at most ${maxMentions} users.`)
  }
  return uids
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
