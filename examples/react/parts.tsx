// The screen with parts of your own, words in German and files.
import { ChatProvider, ChatScreen, type Slots, type Strings } from '@chorale/react'
import type { Chat } from '@chorale/sdk'

const components: Partial<Slots> = {
  Avatar: ({ name, image }) => <img src={image ?? '/nobody.png'} alt={name} width={40} />,
  CustomMessage: ({ message }) => <pre>{JSON.stringify(message.data.customData)}</pre>,
}

const strings: Partial<Strings> = {
  writeMessage: 'Nachricht schreiben',
  send: 'Senden',
  unread: (count) => `${count} ungelesen`,
}

async function uploadFile(file: File) {
  const answer = await fetch('/files', { method: 'POST', body: file })
  const { url } = await answer.json()
  return { url: String(url), name: file.name, mimeType: file.type, size: file.size }
}

export function Screen({ chat }: { readonly chat: Chat }) {
  return (
    <ChatProvider
      chat={chat}
      components={components}
      strings={strings}
      locale="de"
      uploadFile={uploadFile}
    >
      <ChatScreen theme="dark" />
    </ChatProvider>
  )
}
