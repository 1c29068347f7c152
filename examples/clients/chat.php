<?php
// A PHP back end, with curl: forms and queries by http_build_query, forms in parts, JSON by json_encode.
// API_URL=... APP_ID=... API_KEY=... MANAGEMENT_URL=... MANAGEMENT_KEY=... MANAGEMENT_SECRET=... php chat.php

declare(strict_types=1);

/** Makes calls, and stops the program at the first whose answer is another than expected. */
final class Chat
{
    private int $calls = 0;

    /** A call that succeeds; returns its answer. */
    public function ok(string $what, string $method, string $path, array $options = []): array
    {
        return $this->call($what, $method, $path, 200, $options);
    }

    /** A call that fails; returns its error. */
    public function fails(string $what, int $status, string $method, string $path, array $options = []): array
    {
        return $this->call($what, $method, $path, $status, $options)['error'];
    }

    /** A call of the operator, about the webhooks of the app. */
    public function manage(string $what, string $method, string $path, array $options = []): array
    {
        $headers = [
            'key: ' . getenv('MANAGEMENT_KEY'),
            'secret: ' . getenv('MANAGEMENT_SECRET'),
            'X-Webhook-Version: 2',
        ];
        $url = getenv('MANAGEMENT_URL') . '/apps/' . getenv('APP_ID') . '/webhooks' . $path;
        return $this->send($what, $method, $url, 200, $headers, $options);
    }

    private function call(string $what, string $method, string $path, int $status, array $options): array
    {
        $headers = ['appId: ' . getenv('APP_ID'), 'apikey: ' . getenv('API_KEY')];
        if (isset($options['as'])) {
            $headers[] = 'onBehalfOf: ' . $options['as'];
        }
        return $this->send($what, $method, getenv('API_URL') . $path, $status, $headers, $options);
    }

    private function send(string $what, string $method, string $url, int $status, array $headers, array $options): array
    {
        if (isset($options['query'])) {
            $url .= '?' . http_build_query($options['query']);
        }
        $curl = curl_init($url);
        curl_setopt($curl, CURLOPT_CUSTOMREQUEST, $method);
        curl_setopt($curl, CURLOPT_RETURNTRANSFER, true);
        curl_setopt($curl, CURLOPT_TIMEOUT, 60);
        if (isset($options['form'])) {
            curl_setopt($curl, CURLOPT_POSTFIELDS, http_build_query($options['form']));
        }
        if (isset($options['parts'])) {
            curl_setopt($curl, CURLOPT_POSTFIELDS, $options['parts']);
        }
        if (isset($options['json'])) {
            $headers[] = 'Content-Type: application/json';
            curl_setopt($curl, CURLOPT_POSTFIELDS, json_encode($options['json']));
        }
        curl_setopt($curl, CURLOPT_HTTPHEADER, $headers);
        $text = curl_exec($curl);
        $found = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        expect($found === $status, "$what: $found $text");
        $this->calls++;
        echo "ok $this->calls $what\n";
        return json_decode($text, true);
    }
}

function expect(bool $holds, mixed $otherwise): void
{
    if (!$holds) {
        fwrite(STDERR, (is_string($otherwise) ? $otherwise : json_encode($otherwise)) . "\n");
        debug_print_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS, 2);
        exit(1);
    }
}

function uids(array $answer): array
{
    return array_column($answer['data'], 'uid');
}

function texts(array $answer): array
{
    return array_map(fn ($message) => $message['data']['text'], $answer['data']);
}

function signUp(Chat $chat): void
{
    $ann = ['uid' => 'Ann', 'name' => 'Ann', 'withAuthToken' => true, 'avatar' => null, 'metadata' => ['plan' => 'free']];
    $user = $chat->ok('sign up by a form, with a token', 'POST', '/users', ['form' => $ann])['data'];
    expect($user['uid'] === 'ann' && str_starts_with($user['authToken'], 'ann_'), $user);
    expect($user['metadata'] === ['plan' => 'free'], $user);

    $error = $chat->fails('sign up again', 400, 'POST', '/users', ['form' => $ann]);
    expect($error['code'] === 'ERR_UID_ALREADY_EXISTS', $error);

    $bob = ['uid' => 'bob', 'name' => 'Bob', 'metadata' => [], 'tags' => [], 'avatar' => '', 'link' => null];
    $user = $chat->ok('sign up by JSON with empty arrays', 'POST', '/users', ['json' => $bob])['data'];
    expect($user['name'] === 'Bob' && !isset($user['avatar']), $user);

    $cyd = ['uid' => 4711, 'name' => 'Cyd', 'tags' => ['red', 'tall'], 'metadata' => json_encode(['age' => 41])];
    $user = $chat->ok('sign up with metadata as JSON text', 'POST', '/users', ['form' => $cyd])['data'];
    expect($user['uid'] === '4711' && $user['tags'] === ['red', 'tall'] && $user['metadata'] === ['age' => 41], $user);

    // A filter leaves gaps between the keys, so that this is written as an object.
    $tags = array_filter(['', 'blue', null, 'tall']);
    $dee = ['uid' => 'dee', 'name' => 'Dee', 'tags' => $tags, 'withAuthToken' => 1];
    $user = $chat->ok('sign up with a filtered array', 'POST', '/users', ['json' => $dee])['data'];
    expect($user['tags'] === ['blue', 'tall'] && isset($user['authToken']), $user);

    $chat->ok('create a token with an empty array', 'POST', '/users/bob/auth_tokens', ['json' => []]);
    $token = $chat->ok('create a token by a form', 'POST', '/users/bob/auth_tokens', ['form' => ['force' => true]])['data'];
    expect($token['uid'] === 'bob' && $token['authToken'] !== '', $token);
    $found = $chat->ok('list tokens', 'GET', '/users/bob/auth_tokens');
    expect(count($found['data']) === 2, $found);

    $change = ['tags' => ['blue', 'short'], 'metadata' => ['likes' => ['tea', 'cake'], 'age' => 30]];
    $user = $chat->ok('update a user by a form', 'PUT', '/users/bob', ['form' => $change])['data'];
    expect($user['tags'] === ['blue', 'short'] && $user['metadata']['likes'] === ['tea', 'cake'], $user);

    $change = ['statusMessage' => 'away', 'tags[0]' => 'blue', 'tags[1]' => 'short', 'metadata[age]' => 31];
    $user = $chat->ok('update a user by an array, in parts', 'PUT', '/users/bob', ['parts' => $change])['data'];
    expect($user['tags'] === ['blue', 'short'] && $user['metadata'] === ['age' => '31'], $user);

    $error = $chat->fails('sign up with nothing', 400, 'POST', '/users', ['form' => ['uid' => '', 'name' => '']]);
    expect(array_keys($error['details']) === ['uid', 'name'], $error);
}

function listUsers(Chat $chat): void
{
    $query = ['tags' => ['blue', 'red'], 'withTags' => true, 'role' => null, 'searchKey' => ''];
    $found = $chat->ok('list users with tags', 'GET', '/users', ['query' => $query]);
    expect(uids($found) === ['bob', '4711', 'dee'] && $found['data'][1]['tags'] === ['red', 'tall'], $found);
    $query = ['tags' => 'blue', 'withTags' => false, 'onlyDeactivated' => false];
    $found = $chat->ok('list users without tags', 'GET', '/users', ['query' => $query]);
    expect(uids($found) === ['bob', 'dee'] && !isset($found['data'][0]['tags']), $found);
    $found = $chat->ok('list users by pages', 'GET', '/users', ['query' => ['perPage' => 3, 'page' => 2]]);
    expect(uids($found) === ['dee'] && $found['meta']['pagination']['total_pages'] === 2, $found);
    $query = ['searchKey' => 'an', 'searchIn' => ['uid', 'name'], 'per_page' => 10];
    expect(uids($chat->ok('search users', 'GET', '/users', ['query' => $query])) === ['ann'], 'ann is not found');
    $error = $chat->fails('get nobody', 404, 'GET', '/users/nobody');
    expect($error['code'] === 'ERR_UID_NOT_FOUND', $error);
}

function groups(Chat $chat): void
{
    $team = ['guid' => 'team', 'name' => 'Team', 'type' => 'private', 'owner' => 'ann', 'members' => ['participants' => ['bob']]];
    $group = $chat->ok('create a group by a form', 'POST', '/groups', ['form' => $team])['data'];
    expect($group['membersCount'] === 2 && $group['owner'] === 'ann', $group);
    $error = $chat->fails('create it again', 400, 'POST', '/groups', ['form' => $team]);
    expect($error['code'] === 'ERR_GUID_ALREADY_EXISTS', $error);
    $news = ['guid' => 'news', 'name' => 'News', 'type' => 'public', 'members' => [], 'metadata' => [], 'tags' => ['press']];
    $chat->ok('create a group by JSON with empty arrays', 'POST', '/groups', ['json' => $news]);

    $added = $chat->ok('add members by a form', 'POST', '/groups/team/members', [
        'form' => ['participants' => [4711], 'admins' => ['dee'], 'moderators' => []],
    ])['data'];
    expect($added['participants']['4711']['success'] && $added['admins']['dee']['success'], $added);
    $chat->ok('change a scope', 'PUT', '/groups/team/members/4711', ['form' => ['scope' => 'moderator']]);
    $found = $chat->ok('list members by scope', 'GET', '/groups/team/members', ['query' => ['scopes' => 'moderator']]);
    expect(uids($found) === ['4711'] && $found['data'][0]['scope'] === 'moderator', $found);
    $query = ['hasJoined' => true, 'withTags' => true];
    $found = $chat->ok('list my groups', 'GET', '/groups', ['as' => 'bob', 'query' => $query]);
    expect(array_column($found['data'], 'guid') === ['team'] && $found['data'][0]['hasJoined'] === true, $found);
}

function messages(Chat $chat): void
{
    $to = ['receiver' => 'team', 'receiverType' => 'group', 'category' => 'message', 'type' => 'text'];
    $form = $to + ['data' => ['text' => 'one & more', 'metadata' => ['order' => 12]], 'tags' => ['a']];
    $first = $chat->ok('send a text by a form', 'POST', '/messages', ['as' => 'ann', 'form' => $form])['data'];
    expect($first['data']['text'] === 'one & more' && $first['data']['metadata'] === ['order' => '12'], $first);
    $json = $to + ['data' => ['text' => 'two', 'metadata' => [], 'attachments' => []], 'muid' => null];
    $second = $chat->ok('send a text by JSON', 'POST', '/messages', ['as' => 'bob', 'json' => $json])['data'];
    expect($second['sender'] === 'bob' && $second['conversationId'] === 'group_team', $second);
    $form = ['receiver' => 4711, 'receiverType' => 'user', 'category' => 'custom', 'type' => 'order'];
    $form['data'] = json_encode(['customData' => ['total' => 9.5, 'paid' => true]]);
    $custom = $chat->ok('send a custom message', 'POST', '/messages', ['as' => 'ann', 'form' => $form])['data'];
    expect($custom['data']['customData'] === ['total' => 9.5, 'paid' => true], $custom);
    $form = ['category' => 'message', 'type' => 'text', 'data' => ['text' => 'three']];
    $form['multipleReceivers'] = ['uids' => ['bob', 'dee'], 'guids' => ['team']];
    $sent = $chat->ok('send to several', 'POST', '/messages', ['as' => 'ann', 'form' => $form])['data'];
    expect($sent['uids']['dee']['receiver'] === 'dee' && $sent['guids']['team']['data']['text'] === 'three', $sent);

    $query = ['fromTimestamp' => time() - 600, 'category' => 'message', 'hideDeleted' => true, 'unread' => false];
    $found = $chat->ok('list messages since', 'GET', '/groups/team/messages', ['as' => 'bob', 'query' => $query]);
    expect(texts($found) === ['one & more', 'two', 'three'], $found);
    $query = ['limit' => 1, 'id' => $second['id'], 'affix' => 'prepend', 'categories' => ['message', 'custom']];
    $found = $chat->ok('list the page before', 'GET', '/groups/team/messages', ['as' => 'bob', 'query' => $query]);
    expect(texts($found) === ['one & more'], $found);

    $at = "/messages/{$first['id']}";
    $edited = $chat->ok('edit a message', 'PUT', $at, ['as' => 'ann', 'form' => ['data' => ['text' => 'ONE']]])['data'];
    expect($edited['data']['entities']['on']['entity']['data']['text'] === 'ONE', $edited);
    $chat->ok('react', 'POST', "$at/reactions/" . rawurlencode('🎉'), ['as' => 'bob', 'json' => []]);
    $found = $chat->ok('list reactions', 'GET', "$at/reactions");
    expect($found['data'][0]['reaction'] === '🎉' && $found['data'][0]['uid'] === 'bob', $found);
    $reply = $chat->ok('reply', 'POST', "$at/thread", ['as' => 'dee', 'form' => $to + ['data' => ['text' => 'why?']]])['data'];
    expect($reply['parentId'] === $first['id'], $reply);

    $found = $chat->ok('list conversations', 'GET', '/conversations', ['as' => 'bob', 'query' => ['conversationType' => 'user']]);
    expect($found['data'][0]['conversationId'] === 'ann_user_bob' && $found['data'][0]['unreadMessageCount'] === '1', $found);
    $form = ['messageId' => $found['data'][0]['lastMessage']['id']];
    $chat->ok('mark as read', 'POST', '/users/ann/conversation/read', ['as' => 'bob', 'form' => $form]);
    $query = ['unread' => 1, 'count' => 1, 'receiverType' => 'user'];
    $found = $chat->ok('count what is unread', 'GET', '/messages', ['as' => 'bob', 'query' => $query]);
    expect($found['data'] === [], $found);
    $chat->ok('delete a message', 'DELETE', "/messages/{$second['id']}", ['as' => 'bob', 'form' => ['permanent' => true]]);
}

function moderate(Chat $chat): void
{
    $chat->ok('ban a member', 'POST', '/groups/team/bannedusers/4711', ['json' => []]);
    expect(uids($chat->ok('list banned users', 'GET', '/groups/team/bannedusers')) === ['4711'], 'nobody is banned');
    $chat->ok('unban a member', 'DELETE', '/groups/team/bannedusers/4711');
    $chat->ok('make friends', 'POST', '/users/ann/friends', ['form' => ['accepted' => ['bob', 'dee']]]);
    expect(uids($chat->ok('list friends', 'GET', '/users/ann/friends')) === ['bob', 'dee'], 'no friends');
    $role = ['role' => 'Teacher', 'name' => 'Teacher', 'metadata' => [], 'settings' => []];
    $chat->ok('create a role', 'POST', '/roles', ['json' => $role]);
    $error = $chat->fails('create it again', 400, 'POST', '/roles', ['form' => $role]);
    expect(isset($error['details']['role']), $error);
}

function webhooks(Chat $chat): void
{
    $hook = ['id' => 'hook', 'name' => 'Hook', 'webhookURL' => 'https://example.com/in', 'enabled' => true, 'useBasicAuth' => false];
    $hook['triggers'] = ['message_sent', 'message_edited'];
    $made = $chat->manage('create a webhook by a form', 'POST', '', ['form' => $hook])['data'];
    expect($made['enabled'] === true && $made['useBasicAuth'] === false, $made);
    $chat->manage('add a trigger', 'POST', '/hook/triggers', ['form' => ['triggerIds' => ['group_created']]]);
    $found = $chat->manage('list triggers', 'GET', '/hook/triggers');
    expect(array_column($found['data'], 'id') === ['message_sent', 'message_edited', 'group_created'], $found);
    $chat->manage('delete a webhook', 'DELETE', '/hook');
}

function cleanUp(Chat $chat): void
{
    $form = ['uidsToDeactivate' => ['dee', 'nobody']];
    $done = $chat->ok('deactivate users', 'DELETE', '/users', ['form' => $form])['data'];
    expect($done === ['deactivatedUids' => ['dee'], 'notFound' => ['nobody']], $done);
    $found = $chat->ok('list deactivated users', 'GET', '/users', ['query' => ['onlyDeactivated' => true]]);
    expect(uids($found) === ['dee'], $found);
    $chat->ok('delete a user', 'DELETE', '/users/dee', ['form' => ['permanent' => true]]);
    $chat->fails('get the deleted user', 404, 'GET', '/users/dee');
    $chat->ok('delete a group', 'DELETE', '/groups/team');
}

$chat = new Chat();
signUp($chat);
listUsers($chat);
groups($chat);
messages($chat);
moderate($chat);
webhooks($chat);
cleanUp($chat);
