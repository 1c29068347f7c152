import { Failure } from '../../../pipeline/failure.ts'

type Data = Readonly<Record<string, unknown>>

/** Whether a client may show and open it. The parser drops line breaks and blanks, as browsers do. */
export function isHttpUrl(value: unknown): value is string {
  const protocol = typeof value === 'string' ? URL.parse(value)?.protocol : undefined
  return protocol === 'https:' || protocol === 'http:'
}

/** Buttons may lead into an app by a scheme of its own; these run or read what the sender chose. */
const dangerous = ['javascript:', 'vbscript:', 'data:', 'blob:', 'file:']

/** The links that the interface knows, in a message of any category. */
export function requireSafeLinks({ attachments, interactiveData }: Data): void {
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
