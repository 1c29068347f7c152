import { type ClipboardEvent, type FormEvent, type KeyboardEvent, useId, useRef } from 'react'
import { senderName, summaryOf } from '../messages/message-parts.ts'
import { useStrings } from '../provider/context.ts'
import type { Intent } from '../provider/conversation-context.ts'
import { Icon } from '../provider/icon.tsx'
import type { ComposerProps } from '../provider/slots.ts'
import { ChosenFiles } from './chosen-files.tsx'
import { MentionList } from './mention-list.tsx'
import { type ComposerState, useComposer } from './use-composer.ts'

/** Where messages are written. Enter sends, Shift and Enter begin a line, @ mentions somebody. */
export function Composer(props: ComposerProps) {
  const strings = useStrings()
  const composer = useComposer(props)
  const { intent, canSend, files, mentions } = composer
  const listId = useId()

  function onSubmit(event: FormEvent): void {
    event.preventDefault()
    composer.send()
    composer.field.current?.focus()
  }

  return (
    <form className="chorale chorale-composer" onSubmit={onSubmit}>
      {intent && <Intended intent={intent} onCancel={composer.cancel} />}
      <ChosenFiles files={files} />
      <MentionList id={listId} mentions={mentions} onChoose={composer.choose} />
      <div className="chorale-composer-line">
        {files.add && <AttachButton onChoose={files.add} />}
        <Field
          composer={composer}
          listId={listId}
          label={props.placeholder ?? strings.writeMessage}
        />
        <button
          type="submit"
          className="chorale-send"
          aria-label={intent?.kind === 'edit' ? strings.save : strings.send}
          disabled={!canSend}
        >
          <Icon name={intent?.kind === 'edit' ? 'check' : 'send'} />
        </button>
      </div>
    </form>
  )
}

interface FieldProps {
  readonly composer: ComposerState
  readonly listId: string
  readonly label: string
}

function Field({ composer, listId, label }: FieldProps) {
  const { text, field, mentions, files } = composer
  const isOpen = mentions.people.length > 0
  const onPaste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0 || !files.add) return
    event.preventDefault()
    files.add(event.clipboardData.files)
  }
  return (
    <textarea
      ref={field}
      rows={1}
      dir="auto"
      value={text}
      placeholder={label}
      aria-label={label}
      aria-autocomplete="list"
      aria-controls={isOpen ? listId : undefined}
      aria-activedescendant={isOpen ? `${listId}-${mentions.active}` : undefined}
      onChange={({ target }) => composer.type(target.value, target.selectionStart)}
      onKeyDown={(event) => onFieldKey(event, composer)}
      onPaste={onPaste}
    />
  )
}

function onFieldKey(event: KeyboardEvent, composer: ComposerState): void {
  const { mentions, intent } = composer
  // An input method writes its characters with Enter, too.
  if (event.nativeEvent.isComposing) return
  const chosen = mentions.people[mentions.active]
  const run = (work: () => void) => {
    event.preventDefault()
    work()
  }
  if (chosen && event.key === 'ArrowDown') run(() => mentions.move(1))
  else if (chosen && event.key === 'ArrowUp') run(() => mentions.move(-1))
  else if (chosen && (event.key === 'Enter' || event.key === 'Tab'))
    run(() => composer.choose(chosen))
  else if (chosen && event.key === 'Escape') run(() => mentions.ask(undefined))
  else if (intent && event.key === 'Escape') run(composer.cancel)
  else if (event.key === 'Enter' && !event.shiftKey) run(composer.send)
}

function Intended({
  intent,
  onCancel,
}: {
  readonly intent: Intent
  readonly onCancel: () => void
}) {
  const strings = useStrings()
  const { kind, message } = intent
  const name = message.isOwn ? strings.you : senderName(message)
  return (
    <div className="chorale-intent">
      <Icon name={kind} />
      <div>
        <b>{kind === 'edit' ? strings.editing : strings.replyingTo(name)}</b>
        <span dir="auto">{summaryOf(message, strings)}</span>
      </div>
      <button
        type="button"
        className="chorale-button"
        aria-label={strings.cancel}
        onClick={onCancel}
      >
        <Icon name="close" />
      </button>
    </div>
  )
}

function AttachButton({ onChoose }: { readonly onChoose: (files: Iterable<File>) => void }) {
  const strings = useStrings()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ target }) => {
          onChoose(target.files ?? [])
          target.value = ''
        }}
      />
      <button
        type="button"
        className="chorale-button"
        aria-label={strings.attachFile}
        onClick={() => input.current?.click()}
      >
        <Icon name="attach" />
      </button>
    </>
  )
}
