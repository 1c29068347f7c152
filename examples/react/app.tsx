// A whole chat screen in a React application.
import { ChatProvider, ChatScreen } from '@chorale/react'
import '@chorale/react/styles.css'
import { createChat } from '@chorale/sdk'
import { createRoot } from 'react-dom/client'

const chat = createChat({
  url: 'ws://localhost:3000/v3/realtime',
  appId: 'demo',
  // Your server makes a token for whoever is logged in.
  authToken: async () => (await fetch('/chat-token')).text(),
})

createRoot(document.getElementById('chat') ?? document.body).render(
  <ChatProvider chat={chat}>
    <ChatScreen />
  </ChatProvider>,
)
