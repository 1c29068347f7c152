import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type WebSocket, WebSocketServer } from 'ws'

// What `ws` does with nothing around it. A body that is posted to /<n> goes to the first n sockets.

const sockets: WebSocket[] = []
// A connection may wait for its next message for longer than Node would keep it.
const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
  const message = await text(request)
  for (const socket of sockets.slice(0, Number(request.url?.slice(1)))) socket.send(message)
  response.setHeader('Content-Length', 0).end()
})
new WebSocketServer({ server, clientTracking: false }).on('connection', (socket) => {
  sockets.push(socket)
  socket.send('{}')
})
server.listen(0, '127.0.0.1', () => {
  // It listens on a port, so its address is not a path.
  const { port } = server.address() as AddressInfo
  process.send?.(`http://127.0.0.1:${port}`)
})
process.once('disconnect', () => process.exit())
