# A Ruby back end, with Net::HTTP: forms by set_form_data, queries by URI.encode_www_form, and JSON.
# API_URL=... APP_ID=... API_KEY=... MANAGEMENT_URL=... MANAGEMENT_KEY=... MANAGEMENT_SECRET=... ruby chat.rb

require 'json'
require 'net/http'

# Makes calls, and stops the program at the first whose answer is another than expected.
class Chat
  METHODS = {
    get: Net::HTTP::Get, post: Net::HTTP::Post, put: Net::HTTP::Put, delete: Net::HTTP::Delete
  }.freeze

  def initialize
    @calls = 0
  end

  # A call of the app's server; returns the JSON of its answer.
  def call(what, method, path, status: 200, as: nil, **parts)
    headers = { 'appId' => ENV.fetch('APP_ID'), 'apikey' => ENV.fetch('API_KEY') }
    headers['onBehalfOf'] = as if as
    send_request(what, method, ENV.fetch('API_URL') + path, status, headers, **parts)
  end

  # A call of the operator, about the webhooks of the app.
  def manage(what, method, path, **parts)
    headers = {
      'key' => ENV.fetch('MANAGEMENT_KEY'),
      'secret' => ENV.fetch('MANAGEMENT_SECRET'),
      'X-Webhook-Version' => '2'
    }
    url = "#{ENV.fetch('MANAGEMENT_URL')}/apps/#{ENV.fetch('APP_ID')}/webhooks#{path}"
    send_request(what, method, url, 200, headers, **parts)
  end

  private

  def send_request(what, method, url, status, headers, query: nil, form: nil, json: nil)
    uri = URI(url)
    uri.query = URI.encode_www_form(query) if query
    request = METHODS.fetch(method).new(uri, headers)
    request.set_form_data(form) if form
    if json
      request['Content-Type'] = 'application/json'
      request.body = json.to_json
    end
    answer = Net::HTTP.start(uri.hostname, uri.port, read_timeout: 60) { |http| http.request(request) }
    raise "#{what}: #{answer.code} #{answer.body}" unless answer.code == status.to_s

    puts "ok #{@calls += 1} #{what}"
    JSON.parse(answer.body)
  end
end

def expect(expected, found)
  raise "expected #{expected.inspect}, found #{found.inspect}" unless expected == found
end

def uids(answer)
  answer['data'].map { |user| user['uid'] }
end

def texts(answer)
  answer['data'].map { |message| message['data']['text'] }
end

def sign_up(chat)
  ann = { 'uid' => 'Ann', 'name' => 'Ann Lee', 'withAuthToken' => true, 'metadata[plan]' => 'free' }
  user = chat.call('sign up by a form, with a token', :post, '/users', form: ann)['data']
  expect ['ann', 'Ann Lee', { 'plan' => 'free' }], user.values_at('uid', 'name', 'metadata')
  expect true, user['authToken'].start_with?('ann_')
  error = chat.call('sign up again', :post, '/users', status: 400, form: ann)['error']
  expect 'ERR_UID_ALREADY_EXISTS', error['code']

  bob = { 'uid' => 'bob', 'name' => 'Bob', 'tags[]' => %w[blue tall], 'metadata' => { age: 41 }.to_json }
  user = chat.call('sign up with lists and JSON text', :post, '/users', form: bob)['data']
  expect [%w[blue tall], { 'age' => 41 }], user.values_at('tags', 'metadata')
  cyd = { uid: 4711, name: 'Cyd', avatar: nil, link: '', tags: ['red'], role: 'Default' }
  user = chat.call('sign up by JSON with nil', :post, '/users', json: cyd)['data']
  expect ['4711', 'default', nil], user.values_at('uid', 'role', 'avatar')
  dee = { 'uid' => 'dee', 'name' => 'Dee', 'avatar' => '', 'statusMessage' => '', 'tags' => 'red' }
  user = chat.call('sign up with fields left empty', :post, '/users', form: dee)['data']
  expect ['red'], user['tags']
  with_snakes = { uid: 'eve', name: 'Eve', with_auth_token: true, status_message: 'new' }
  user = chat.call('sign up with names in snake case', :post, '/users', json: with_snakes)['data']
  expect 'new', user['statusMessage']
  expect true, user.key?('authToken')

  chat.call('create a token without a body', :post, '/users/bob/auth_tokens')
  token = chat.call('create a token by a form', :post, '/users/bob/auth_tokens', form: { 'force' => true })
  expect 'bob', token['data']['uid']
  user = chat.call('get a user', :get, '/users/bob')['data']
  expect ['Bob', 'offline'], user.values_at('name', 'status')
  user = chat.call('update a user by a form', :put, '/users/bob', form: { 'name' => 'Bob B.', 'unset[]' => ['metadata'] })
  expect ['Bob B.', nil], user['data'].values_at('name', 'metadata')
  error = chat.call('sign up with an e-mail address', :post, '/users', status: 400, form: { 'uid' => 'a@b.c', 'name' => 'A' })
  expect ['uid'], error['error']['details'].keys
end

def list_users(chat)
  query = { withTags: true, 'tags[]' => %w[red blue], perPage: 2 }
  found = chat.call('list users with tags', :get, '/users', query: query)
  expect %w[bob 4711], uids(found)
  expect %w[blue tall], found['data'][0]['tags']
  expect({ 'total' => 3, 'count' => 2, 'per_page' => 2, 'current_page' => 1, 'total_pages' => 2 }, found['meta']['pagination'])
  found = chat.call('list the next page', :get, '/users', query: query.merge(page: 2, withTags: false))
  expect ['dee'], uids(found)
  expect ['dee'], uids(chat.call('search users', :get, '/users', query: { searchKey: 'de', searchIn: 'name,uid' }))
  everybody = chat.call('list users with an empty search', :get, '/users', query: { searchKey: '', status: nil, role: '' })
  expect 5, everybody['data'].length
  error = chat.call('get nobody', :get, '/users/nobody', status: 404)['error']
  expect 'ERR_UID_NOT_FOUND', error['code']
end

def groups(chat)
  team = { guid: 'Team', name: 'Team', type: 'password', password: 'open', owner: 'ann', members: { participants: ['bob'] } }
  group = chat.call('create a group', :post, '/groups', json: team)['data']
  expect ['team', 'password', 2], group.values_at('guid', 'type', 'membersCount')
  error = chat.call('create it again', :post, '/groups', status: 400, json: team)['error']
  expect 'ERR_GUID_ALREADY_EXISTS', error['code']
  form = { 'guid' => 'news', 'name' => 'News', 'type' => 'public', 'tags[]' => ['press'], 'owner' => 'bob' }
  chat.call('create a group by a form', :post, '/groups', form: form)
  form = { 'participants[]' => %w[4711 nobody], 'admins[]' => ['dee'] }
  added = chat.call('add members by a form', :post, '/groups/team/members', form: form)['data']
  expect [true, false], added['participants'].values_at('4711', 'nobody').map { |one| one['success'] }
  chat.call('change a scope', :put, '/groups/team/members/4711', form: { 'scope' => 'moderator' })
  found = chat.call('list members by scope', :get, '/groups/team/members', query: { 'scopes[]' => %w[moderator admin] })
  expect %w[4711 ann dee], uids(found).sort
  found = chat.call('list groups', :get, '/groups', as: 'bob', query: { hasJoined: 1, tags: 'press', sort_by: 'name' })
  expect ['news'], found['data'].map { |one| one['guid'] }
  group = chat.call('update a group', :put, '/groups/news', form: { 'description' => 'What is new' })['data']
  expect 'What is new', group['description']
end

def messages(chat)
  text = { 'receiver' => 'team', 'receiverType' => 'group', 'category' => 'message', 'type' => 'text' }
  form = text.merge('data[text]' => 'one + one', 'data[metadata]' => { lang: 'en' }.to_json, 'tags[]' => ['sum'])
  first = chat.call('send a text by a form', :post, '/messages', as: 'ann', form: form)['data']
  expect ['one + one', { 'lang' => 'en' }], first['data'].values_at('text', 'metadata')
  json = text.merge(data: { text: 'two', metadata: nil }, muid: nil, tags: nil)
  second = chat.call('send a text by JSON', :post, '/messages', as: 'bob', json: json)['data']
  expect %w[bob group_team], second.values_at('sender', 'conversationId')
  place = { 'latitude' => 52.5, 'name' => 'Berlin' }
  form = { receiver: 'bob', receiverType: 'USER', category: 'custom', type: 'location', data: { customData: place }.to_json }
  custom = chat.call('send a custom message', :post, '/messages', as: 'ann', form: form)['data']
  expect ['user', place], [custom['receiverType'], custom['data']['customData']]
  form = { 'multipleReceivers[uids][]' => %w[dee eve], 'receiver' => 'bob', 'receiverType' => 'user', 'data[text]' => 'three' }
  sent = chat.call('send to several', :post, '/messages', as: 'ann', form: form)['data']
  expect %w[bob dee eve], sent['uids'].keys.sort
  expect 'three', sent['uids']['bob']['data']['text']
  image = { url: 'https://example.com/a.png', name: 'a.png', mimeType: 'image/png', extension: 'png', size: '1024' }
  json = text.merge(type: 'image', data: { attachments: [image] })
  sent = chat.call('send an image', :post, '/messages', as: 'dee', json: json)['data']
  expect 'https://example.com/a.png', sent['data']['attachments'][0]['url']

  query = { fromTimestamp: Time.now.to_i - 600, category: 'message', type: 'text', hideDeleted: true }
  expect ['one + one', 'two'], texts(chat.call('list messages since', :get, '/groups/team/messages', as: 'bob', query: query))
  query = { id: second['id'], affix: 'prepend', categories: 'message,custom', per_page: 10, limit: 1 }
  expect ['one + one'], texts(chat.call('list the page before', :get, '/groups/team/messages', as: 'bob', query: query))
  found = chat.call('list messages by tag', :get, '/groups/team/messages', query: { 'tags[]' => ['sum'], withTags: true })
  expect [['sum']], found['data'].map { |message| message['tags'] }

  at = "/messages/#{first['id']}"
  edited = chat.call('edit a message by a form', :put, at, as: 'ann', form: { 'data[text]' => 'ONE' })['data']
  expect 'ONE', edited['data']['entities']['on']['entity']['data']['text']
  chat.call('react', :post, "#{at}/reactions/#{URI.encode_www_form_component('👍')}", as: 'bob', form: {})
  found = chat.call('list reactions', :get, "#{at}/reactions")
  expect [['👍', 'bob']], found['data'].map { |one| one.values_at('reaction', 'uid') }
  chat.call('take it back', :delete, "#{at}/reactions/#{URI.encode_www_form_component('👍')}", as: 'bob')
  found = chat.call('list unread conversations', :get, '/conversations', as: 'dee', query: { unread: true })
  expect %w[ann_user_dee group_team], found['data'].map { |one| one['conversationId'] }.sort
  chat.call('mark as read', :post, '/groups/team/conversation/read', as: 'dee', form: { 'messageId' => second['id'] })
  chat.call('mark all as read', :post, '/users/ann/conversation/read', as: 'dee', form: {})
  found = chat.call('count what is unread', :get, '/messages', as: 'dee', query: { unread: 1, count: 1, receiverType: 'user' })
  expect [], found['data']
  chat.call('delete a message', :delete, at, as: 'ann')
end

def moderate(chat)
  chat.call('ban a member', :post, '/groups/team/bannedusers/4711', form: {})
  expect ['4711'], uids(chat.call('list banned users', :get, '/groups/team/bannedusers'))
  chat.call('unban a member', :delete, '/groups/team/bannedusers/4711')
  chat.call('kick a member', :delete, '/groups/team/members/bob')
  chat.call('block users', :post, '/users/ann/blockedusers', form: { 'blockedUids[]' => %w[dee eve] })
  expect %w[dee eve], uids(chat.call('list blocked users', :get, '/users/ann/blockedusers'))
  chat.call('create a role', :post, '/roles', form: { 'role' => 'teacher', 'name' => 'Teacher', 'settings[listUsers]' => 'all' })
  error = chat.call('create it again', :post, '/roles', status: 400, form: { 'role' => 'teacher', 'name' => 'T' })['error']
  expect ['role'], error['details'].keys
end

def webhooks(chat)
  form = {
    'id' => 'hook', 'name' => 'Hook', 'webhookURL' => 'https://example.com/in', 'enabled' => true,
    'useBasicAuth' => true, 'username' => 'me', 'password' => 'secret', 'triggers[]' => %w[message_sent message_edited]
  }
  hook = chat.manage('create a webhook by a form', :post, '', form: form)['data']
  expect [true, 'me'], hook.values_at('useBasicAuth', 'username')
  chat.manage('add a trigger', :post, '/hook/triggers', json: { triggerIds: ['group_created'] })
  chat.manage('remove a trigger', :delete, '/hook/triggers', form: { 'triggerIds[]' => ['message_edited'] })
  found = chat.manage('list triggers', :get, '/hook/triggers')
  expect %w[message_sent group_created], found['data'].map { |one| one['id'] }
  chat.manage('delete a webhook', :delete, '/hook')
end

def clean_up(chat)
  done = chat.call('deactivate users', :delete, '/users', json: { uidsToDeactivate: %w[dee nobody] })['data']
  expect({ 'deactivatedUids' => ['dee'], 'notFound' => ['nobody'] }, done)
  expect ['dee'], uids(chat.call('list deactivated users', :get, '/users', query: { onlyDeactivated: true }))
  chat.call('delete a user', :delete, '/users/eve', form: { 'permanent' => true })
  chat.call('get the deleted user', :get, '/users/eve', status: 404)
  chat.call('delete a group', :delete, '/groups/team')
end

chat = Chat.new
sign_up(chat)
list_users(chat)
groups(chat)
messages(chat)
moderate(chat)
webhooks(chat)
clean_up(chat)
