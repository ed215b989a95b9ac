package sandbox

// Permissions are Discord's permission bits.
type Permissions uint64

// The permissions the sandbox looks at.
const (
	PermKickMembers         Permissions = 1 << 1
	PermAdministrator       Permissions = 1 << 3
	PermManageChannels      Permissions = 1 << 4
	PermManageGuild         Permissions = 1 << 5
	PermAddReactions        Permissions = 1 << 6
	PermViewChannel         Permissions = 1 << 10
	PermSendMessages        Permissions = 1 << 11
	PermManageMessages      Permissions = 1 << 13
	PermEmbedLinks          Permissions = 1 << 14
	PermAttachFiles         Permissions = 1 << 15
	PermReadHistory         Permissions = 1 << 16
	PermMentionEveryone     Permissions = 1 << 17
	PermUseExternalEmojis   Permissions = 1 << 18
	PermUseCommands         Permissions = 1 << 31
	PermManageThreads       Permissions = 1 << 34
	PermCreatePublicThreads Permissions = 1 << 35
	PermCreatePrivateThread Permissions = 1 << 36
	PermSendInThreads       Permissions = 1 << 38
	PermPinMessages         Permissions = 1 << 51
)

// Sets of permissions.
const (
	// PermAll is everything the sandbox knows.
	PermAll = PermBot | PermMember | PermKickMembers | PermAdministrator | PermManageChannels |
		PermManageGuild | PermManageMessages | PermMentionEveryone | PermManageThreads |
		PermCreatePrivateThread | PermPinMessages

	// PermBot is what the bot has in a guild until SetPermissions.
	PermBot = PermViewChannel | PermSendMessages | PermSendInThreads | PermEmbedLinks |
		PermAttachFiles | PermReadHistory | PermCreatePublicThreads | PermUseExternalEmojis

	// PermMember is what a member has until SetMemberPermissions.
	PermMember = PermViewChannel | PermSendMessages | PermSendInThreads | PermEmbedLinks |
		PermAttachFiles | PermReadHistory | PermCreatePublicThreads | PermAddReactions |
		PermUseCommands | PermUseExternalEmojis
)

func (p Permissions) has(bits Permissions) bool {
	return p&PermAdministrator != 0 || p&bits == bits
}
